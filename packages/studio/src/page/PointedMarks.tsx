import type { ReactNode } from 'react';
import type { Pointed } from './state.ts';

/** Marks members and entries of which somebody reads just now. The instant is marked by the timeline. */
export function PointedMarks({ pointed }: { readonly pointed: Pointed | undefined }): ReactNode {
  if (!pointed) return null;
  const rules = [
    rule(
      pointed.members.map((name) => `.set [data-member=${CSS.escape(name)}]`),
      'filter: drop-shadow(0 0 5px var(--accent)) drop-shadow(0 0 1px var(--accent));',
    ),
    rule(
      pointed.entries.map((key) => `.oplogs [data-entry="${CSS.escape(key)}"]`),
      'outline: 2px solid var(--accent); outline-offset: 1px;',
    ),
  ];
  return <style>{rules.join('\n')}</style>;
}

function rule(selectors: readonly string[], looks: string): string {
  return selectors.length === 0 ? '' : `${selectors.join(', ')} { ${looks} }`;
}
