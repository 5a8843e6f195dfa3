import tseslint from 'typescript-eslint';

export default tseslint.config(
  // NestJS needs decorators and packages of its own, which its own build checks; what uses generated clients is compiled
  // with them, by the test that generates them.
  { ignores: ['dist/', '.data/', 'node_modules/', 'bench/peers/nestjs/', 'test/clients/flows/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
);
