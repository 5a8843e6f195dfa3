/** Mutants that no test can see, because nothing that a caller or an operator notices differs. */
export const EXCUSED: readonly { readonly file: string; readonly before: string; readonly why: string }[] = [];
