import { useEffect, useState } from 'react';
import type { Look, Seen } from '../../core/look/look.ts';
import { usePage } from '../context.ts';

/** What members answered, and whether that is about another instant than is shown by now. */
export interface Looked<Kind extends Look['kind']> {
  readonly seen: Extract<Seen, { readonly kind: Kind }> | undefined;
  /** The run, or the look into it, is under way. */
  readonly isBusy: boolean;
  /** Why there is no answer. */
  readonly failure: string | undefined;
}

/** Who scrubs passes many instants: members are asked at the one where the time stands still for so long. */
const REST_MS = 150;

/** Asks members whenever the time has come to rest at another instant, and shows the last answer meanwhile. */
export function useLook<Kind extends Look['kind']>(look: Look & { readonly kind: Kind }): Looked<Kind> {
  const { player, run } = usePage();
  const { played } = run;
  const [seen, setSeen] = useState<Looked<Kind>['seen']>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(true);
  const asked = JSON.stringify(look);
  useEffect(() => {
    setBusy(true);
    if (played === undefined) return;
    // An answer that comes when something else is asked already is nobody's.
    let isCurrent = true;
    const answered = (answer: Seen | undefined, why: string | undefined) => {
      if (!isCurrent) return;
      setBusy(false);
      setFailure(why);
      if (answer) setSeen(answer as Looked<Kind>['seen']);
    };
    const rested = setTimeout(() => {
      player.look(JSON.parse(asked)).then(
        (answer) => answered(answer, answer ? undefined : 'There is no run yet, so no member can be asked.'),
        (error: Error) => answered(undefined, error.message),
      );
    }, REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(rested);
    };
  }, [player, played, asked]);
  return { seen, isBusy, failure };
}
