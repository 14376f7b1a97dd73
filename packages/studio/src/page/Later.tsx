import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/** A part of the page that is not there from the beginning. */
export interface LaterPart<Props> {
  /** Undefined until it is there. */
  readonly brought: () => ComponentType<Props> | undefined;
  /** Brings it, once. @throws Error if it is not there, with words for whoever looks at the page; the next call tries again */
  readonly load: () => Promise<void>;
}

export function laterPart<Props>(bring: () => Promise<ComponentType<Props>>): LaterPart<Props> {
  let brought: ComponentType<Props> | undefined;
  return {
    brought: () => brought,
    load: async () => {
      brought ??= await bring();
    },
  };
}

interface GivenTo<Props> {
  readonly part: LaterPart<Props>;
  readonly props: Props;
}

/** Shows a part as soon as it is there. */
export function Later<Props extends object>({ part, props }: GivenTo<Props>): ReactNode {
  const [isThere, setIsThere] = useState(part.brought() !== undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    if (isThere) return;
    part.load().then(
      () => setIsThere(true),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  }, [part, isThere]);
  const Brought = part.brought();
  if (isThere && Brought) return <Brought {...props} />;
  return (
    <main className="start">
      {failure && (
        <p className="verdict failed" role="alert">
          {failure}
        </p>
      )}
    </main>
  );
}
