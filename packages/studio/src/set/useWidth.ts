import { type RefObject, useLayoutEffect, useState } from 'react';

/** How wide an element is, so that pictures can be drawn in pixels and letters keep their size. Unit: px. */
export function useWidth(element: RefObject<HTMLElement | null>, initially: number): number {
  const [width, setWidth] = useState(initially);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.floor(entry?.contentRect.width ?? 0);
      if (now > 0) setWidth(now);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
