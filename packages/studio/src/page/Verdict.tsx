import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import LoaderCircle from 'lucide-react/icons/loader-circle';
import type { ReactNode } from 'react';
import type { Played } from '../core/run/player.ts';
import { useStillPage } from './context.ts';
import { mistakesText } from './state.ts';

/** What came of the last run, or what is wrong with the text. */
export function Verdict(): ReactNode {
  const { played } = useStillPage().run;
  if (!played)
    return (
      <output className="verdict">
        <LoaderCircle className="turning" size={14} aria-hidden="true" />
        playing …
      </output>
    );
  if (played.kind === 'mistakes') return <Failed text={mistakesText(played.mistakes.length)} />;
  if (!played.ok) return <Failed text={played.failure?.title ?? 'failed'} detail={played.failure?.detail} />;
  if (played.challenge) return <ChallengeVerdict challenge={played.challenge} />;
  return <Held text="all held" />;
}

type Challenge = NonNullable<Extract<Played, { kind: 'played' }>['challenge']>;

/** An open challenge is no failure: it says what is still missing, and why. */
function ChallengeVerdict({ challenge: { solved, goals } }: { readonly challenge: Challenge }): ReactNode {
  if (solved) return <Held text="challenge solved" />;
  const missing = goals.filter(({ held }) => !held);
  const said = missing.map(({ text, got, reasons }) => [`${text}: ${got}`, ...reasons].join('\n  '));
  return (
    <output className="verdict held" title={said.join('\n')}>
      <CircleDashed size={14} aria-hidden="true" />
      not solved yet
    </output>
  );
}

function Held({ text }: { readonly text: string }): ReactNode {
  return (
    <output className="verdict held">
      <CircleCheck size={14} aria-hidden="true" />
      {text}
    </output>
  );
}

interface FailedProps {
  readonly text: string;
  readonly detail?: string | undefined;
}

function Failed({ text, detail }: FailedProps): ReactNode {
  return (
    <output className="verdict failed" title={detail ?? text}>
      <CircleX size={14} aria-hidden="true" />
      <span>{text}</span>
    </output>
  );
}
