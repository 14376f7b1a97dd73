import CircleHelp from 'lucide-react/icons/circle-question-mark';
import * as Popover from 'radix-ui/popover';
import { type ReactNode, useMemo } from 'react';
import { useQuiet } from './useQuiet.ts';

interface Props {
  /** What it explains. */
  readonly of: string;
  readonly children: ReactNode;
}

/** What signs and colours mean, for whoever asks. */
export function LegendButton(given: Props): ReactNode {
  const quiet = useQuiet(given);
  return useMemo(() => legendButton(quiet), [quiet]);
}

function legendButton({ of, children }: Props): ReactNode {
  return (
    <Popover.Root>
      <Popover.Trigger className="button icon" aria-label={`what ${of} mean`}>
        <CircleHelp size={15} aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="menu legends" sideOffset={6} collisionPadding={8} aria-label={`What ${of} mean`}>
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
