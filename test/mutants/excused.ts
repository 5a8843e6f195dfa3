/** Errors in the source code that no test can notice, because neither a caller nor an operator notices a difference. */
export const EXCUSED: readonly { readonly file: string; readonly before: string; readonly why: string }[] = [];
