import { useMedia } from '../set/useMedia.ts';

/** Whether there is room for one panel at a time only. */
export function useNarrow(): boolean {
  return useMedia('(max-width: 800px)');
}
