import { useState } from 'react';
import { kept } from './kept.ts';

export type Scheme = 'system' | 'light' | 'dark';

const KEY = 'replsim scheme';
export const SCHEMES: readonly Scheme[] = ['system', 'light', 'dark'];

/** Shows the page in the colours that somebody has chosen before. */
export function showScheme(): void {
  const scheme = keptScheme();
  if (scheme === 'system') delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = scheme;
}

/** Light or dark, as the system is or as somebody has chosen, which is kept locally. */
export function useScheme(): readonly [scheme: Scheme, choose: (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState(keptScheme);
  const choose = (next: Scheme) => {
    kept.setItem(KEY, next);
    setScheme(next);
    showScheme();
  };
  return [scheme, choose];
}

function keptScheme(): Scheme {
  const scheme = kept.getItem(KEY);
  return SCHEMES.find((each) => each === scheme) ?? 'system';
}
