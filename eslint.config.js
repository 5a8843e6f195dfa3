import tseslint from 'typescript-eslint';

export default tseslint.config(
  // NestJS needs decorators and packages of its own, which its own build checks; what uses generated clients is compiled
  // with them, by the test that generates them.
  {
    ignores: [
      'dist/',
      '.data/',
      'node_modules/',
      'bench/peers/nestjs/',
      'test/clients/workday.ts',
      'test/browser/desk/',
    ],
  },
  // The page of /docs, whose names tsc looks up by public/tsconfig.json.
  { files: ['public/*.js'], extends: [tseslint.configs.strict] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // Marked so that nobody misses it; the tests' providers are on this machine, without TLS.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'openid-client', name: 'allowInsecureRequests' }] },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'object-shorthand': 'error',
      'no-useless-rename': 'error',
    },
  },
);
