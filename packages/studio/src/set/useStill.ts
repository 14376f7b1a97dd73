import { useMedia } from './useMedia.ts';

/** Whether somebody has asked their system for less motion. */
export function useStill(): boolean {
  return useMedia('(prefers-reduced-motion: reduce)');
}
