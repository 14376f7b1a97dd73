import * as Tooltip from 'radix-ui/tooltip';
import type { ReactNode } from 'react';

/** Where tips may stand; the next one comes at once. */
export function Tips({ children }: { readonly children: ReactNode }): ReactNode {
  return <Tooltip.Provider delayDuration={350}>{children}</Tooltip.Provider>;
}

interface Props {
  readonly text: string;
  readonly keys?: string | undefined;
  /** One element, which it is about. */
  readonly children: ReactNode;
}

/** A few words on a control. */
export function Tip({ text, keys, children }: Props): ReactNode {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tip" sideOffset={6} collisionPadding={8}>
          {text}
          {keys !== undefined && <kbd>{keys}</kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
