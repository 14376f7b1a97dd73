import type { ReactNode } from 'react';
import type { GroupingChoiceProps } from '../set/SetView.tsx';
import { Choice } from './controls/Choice.tsx';

/** How the members stand: in a ring, or by something that they have in common. */
export function GroupingChoice({ groupings, chosen, onChoose }: GroupingChoiceProps): ReactNode {
  const by = groupings.map(({ id, name }) => ({ value: id, text: `by ${name}` }));
  return (
    <Choice label="members" value={chosen} options={[{ value: '', text: 'in a ring' }, ...by]} onChoose={onChoose} />
  );
}
