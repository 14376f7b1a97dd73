/** Whether an environment variable is set to something other than false, as CI systems set `CI`. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
