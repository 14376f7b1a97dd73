import type { ReactNode } from 'react';
import { later } from '../core/run/parts.ts';
import type { Player } from '../core/run/player.ts';
import { Later, laterPart } from '../page/Later.tsx';

interface Props {
  readonly player: Player;
}

const DOOR = laterPart<Props>(async () => (await later<typeof import('./DoorBar.tsx')>('door')).DoorBar);

/** The page with files to choose from, which only `replsim studio` serves. */
export function LaterDoor(props: Props): ReactNode {
  return <Later part={DOOR} props={props} />;
}
