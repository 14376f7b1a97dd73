import type { ReactNode } from 'react';
import { later } from '../core/run/parts.ts';
import { Later, laterPart } from './Later.tsx';
import type { PageProps } from './usePageModel.ts';

const APP = laterPart<PageProps>(async () => (await later<typeof import('./App.tsx')>('desk')).App);

export const loadApp = APP.load;

/** What a run is looked at with: most of the page, which nobody needs to choose what to see. */
export function LaterApp(props: PageProps): ReactNode {
  return <Later part={APP} props={props} />;
}
