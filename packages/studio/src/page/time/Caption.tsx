import type { ReactNode } from 'react';
import { captionAt } from '../../tempo/captions.ts';
import type { Traced } from '../../tempo/tempo.ts';

interface Props {
  readonly history: Traced;
  readonly atMicros: number;
}

/** What happens, in a sentence under the picture. Who listens to the page is told by `Announcer`, and not at every change. */
export function Caption({ history, atMicros }: Props): ReactNode {
  const caption = captionAt(history, atMicros);
  return (
    <p className="caption" aria-live="off">
      {caption?.text ?? '\u00a0'}
    </p>
  );
}
