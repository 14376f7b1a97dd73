import { useEffect } from 'react';
import { usePage } from '../context.ts';
import { useSecond } from './useSecond.ts';

/** Plays a second run as long as somebody compares, whatever is looked at meanwhile. */
export function SecondRun(): null {
  const { compare, state } = usePage();
  const { text, seed, given } = state;
  const { traced, setSecond } = compare;
  const second = useSecond({ text, seed, traced }, given);
  useEffect(() => setSecond(second), [setSecond, second]);
  useEffect(() => () => setSecond(undefined), [setSecond]);
  return null;
}
