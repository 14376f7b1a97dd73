/** placeholder until query has updates */
export function applyUpdate(_document: Uint8Array, _update: Uint8Array): Uint8Array {
  throw new Error('updates are not there yet');
}
