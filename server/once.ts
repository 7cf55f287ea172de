/**
 * Makes something when it is first asked for, and once. What hundreds of routes would compile at every start takes
 * longer than all else that a start does, and most of it is not asked for in the first minutes.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
