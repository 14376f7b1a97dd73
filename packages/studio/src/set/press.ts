/** Whether a key presses a button. */
export function isPress(key: string): boolean {
  return key === 'Enter' || key === ' ';
}
