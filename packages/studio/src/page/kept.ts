/** What this browser keeps of how the page looks; nothing where it keeps nothing, as in a private window or from a file. */
export const kept = {
  getItem(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  setItem(key: string, value: string): void {
    try {
      localStorage.setItem(key, value);
    } catch {
      // The page looks as it does by itself the next time.
    }
  },
};
