import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import LoaderCircle from 'lucide-react/icons/loader-circle';
import type { ReactNode } from 'react';
import { usePage } from './context.ts';
import { mistakesText } from './state.ts';

/** What came of the last run, or what is wrong with the text. */
export function Verdict(): ReactNode {
  const { played } = usePage().run;
  if (!played)
    return (
      <output className="verdict">
        <LoaderCircle className="turning" size={14} aria-hidden="true" />
        playing …
      </output>
    );
  if (played.kind === 'mistakes') return <Failed text={mistakesText(played.mistakes.length)} />;
  if (!played.ok) return <Failed text={played.failure?.title ?? 'failed'} detail={played.failure?.detail} />;
  return (
    <output className="verdict held">
      <CircleCheck size={14} aria-hidden="true" />
      all held
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
