import { Binary } from 'bson';

export function base64Of(bytes: Uint8Array): string {
  return new Binary(bytes).toString('base64');
}

/** Empty for what is no base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Uint8Array.from(Binary.createFromBase64(text).buffer) : new Uint8Array();
}

/** Takes as long for bytes that differ at once as for those that differ at the end. */
export function sameSecret(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}
