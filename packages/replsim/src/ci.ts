/** Whether a variable of the environment says yes, as continuous integration sets `CI`. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
