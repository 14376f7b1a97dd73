import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { Likeness, Told } from '../../core/compare/likeness.ts';
import type { StoryLine } from '../../core/run/player.ts';
import { useActions } from '../context.ts';
import { Button } from '../controls/Button.tsx';

interface Props {
  readonly likeness: Likeness;
}

/** Where two runs part, in words: to the event, and as far as the story tells of it. */
export function CompareWords({ likeness: { began, equal, parted, told } }: Props): ReactNode {
  const { go } = useActions();
  if (!parted)
    return (
      <div className="words">
        {began}
        <strong>
          {began === undefined
            ? `The two runs are the same, event by event: ${equal} events.`
            : `Apart from that, the two runs are the same, event by event: ${equal} events.`}
        </strong>
      </div>
    );
  return (
    <>
      <div className="words">
        {began}
        {`${began === undefined ? '' : 'then '}the same for ${equal} events; in event ${parted.number} they differ:\n${parted.words}`}
      </div>
      <p className="apart-buttons">
        <Button onClick={() => go(parted.atMicros)}>≠ go to the first difference</Button>
        {told && <Button onClick={() => go(told.atMicros)}>≠ go to where the story differs</Button>}
      </p>
      {told ? <ToldApart told={told} /> : <p>The story is the same in both, line by line, except for the times.</p>}
    </>
  );
}

function ToldApart({ told: { one, other } }: { readonly told: Told }): ReactNode {
  return (
    <dl className="told-apart">
      <dt>the story of the first</dt>
      <dd>{lineText(one)}</dd>
      <dt>the story of the second</dt>
      <dd>{lineText(other)}</dd>
    </dl>
  );
}

function lineText(line: StoryLine | undefined): string {
  return line ? `${formatInstant(line.atMicros)} ${line.text}` : 'has ended';
}
