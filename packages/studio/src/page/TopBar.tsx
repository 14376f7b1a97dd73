import { type ReactNode, useMemo } from 'react';
import { headOf } from '../core/edit/head.ts';
import { Head } from './Head.tsx';
import { LessonPanel } from './lesson/LessonPanel.tsx';
import { ReadingChoice } from './lesson/LessonReading.tsx';
import type { Page } from './usePage.ts';

/** What is looked at, how it is read, and the ways out. */
export function TopBar({ page }: { readonly page: Page }): ReactNode {
  const { run, live, instant, guide, seed, text, compare, canCompare, wayOut } = page;
  const { reading } = guide;
  const description = useMemo(() => headOf(text).description, [text]);
  return (
    <header>
      <Head
        run={run}
        live={live}
        instant={instant}
        showsVerdict={!guide.open}
        seed={seed}
        onSeed={(next) => {
          page.setSeed(next);
          // It is another run, with other instants.
          if (reading !== 'free') guide.read(reading);
        }}
        onFailed={page.edits.setCannot}
      />
      {!live && <ReadingChoice guide={guide} />}
      {canCompare && (
        <button type="button" aria-pressed={compare.isOn} title="c" onClick={compare.toggle}>
          compare
        </button>
      )}
      {wayOut?.back}
      {reading !== 'free' && (
        <LessonPanel
          guide={guide}
          description={description}
          atMicros={instant.atMicros}
          onAsk={page.ask}
          whatNext={wayOut?.next?.(text)}
          onEnd={() => reading === 'lesson' && wayOut?.done?.(text)}
        />
      )}
    </header>
  );
}
