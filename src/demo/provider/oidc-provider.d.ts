/** The in-memory store of oidc-provider, which logs a warning unless the service chooses a store explicitly. */
declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider';

  export function createMemoryAdapter(): AdapterFactory;
}
