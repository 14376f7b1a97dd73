import type { ReactNode, Ref } from 'react';

interface Props {
  readonly label: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement>;
}

/** Something wide or long that scrolls by itself, by the keyboard, too. */
export function Box({ label, children, ref }: Props): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached
    <section ref={ref} className="box" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
