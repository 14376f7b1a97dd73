/** `  60.001s n1 text`: milliseconds, as a log would have them. */
export function lineAt(atMicros: number, member: string | undefined, text: string): string {
  const time = `${(Math.floor(atMicros / 1000) / 1000).toFixed(3)}s`.padStart(10);
  // All members listen on the same port, which says nothing.
  const short = text.replaceAll(':27017', '');
  return member === undefined ? `${time} ${short}` : `${time} ${member} ${short}`;
}
