import type { RefObject } from 'react';
import { useSize } from './useSize.ts';

/** How wide an element is. Unit: px. */
export function useWidth(element: RefObject<HTMLElement | null>, initially: number): number {
  return useSize(element, initially).width;
}
