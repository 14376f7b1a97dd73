/** In what a second scenario is unlike the first. */
export type Difference =
  | { readonly kind: 'seed'; readonly seed: number }
  /** @see SETTING_PLACES */
  | { readonly kind: 'setting'; readonly name: string; readonly value: string }
  | { readonly kind: 'version'; readonly version: string }
  /** Of all its writes: a number, `majority`, or a mode of the set. */
  | { readonly kind: 'writeConcern'; readonly w: string }
  /** In whatever somebody writes. */
  | { readonly kind: 'text'; readonly text: string };

/** Whether something that came from elsewhere is one. */
export function isDifference(value: unknown): value is Difference {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, seed, name, value: set, version, w, text } = value as Record<string, unknown>;
  switch (kind) {
    case 'seed':
      return typeof seed === 'number';
    case 'setting':
      return typeof name === 'string' && typeof set === 'string';
    case 'version':
      return typeof version === 'string';
    case 'writeConcern':
      return typeof w === 'string';
    default:
      return kind === 'text' && typeof text === 'string';
  }
}
