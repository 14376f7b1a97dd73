import { type ReactNode, useMemo } from 'react';
import { ActionsContext, useActions, usePage } from '../context.ts';

/** What is asked in here is asked of the second run. */
export function OfSecond({ children }: { readonly children: ReactNode }): ReactNode {
  const { dispatch } = usePage();
  const actions = useActions();
  const own = useMemo(
    () => ({
      ...actions,
      ask: ((question) => dispatch({ type: 'ask', question, of: 'second' })) as typeof actions.ask,
    }),
    [actions, dispatch],
  );
  return <ActionsContext value={own}>{children}</ActionsContext>;
}
