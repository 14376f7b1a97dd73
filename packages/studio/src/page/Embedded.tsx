import ExternalLink from 'lucide-react/icons/external-link';
import type { ReactNode } from 'react';
import { SetPanel } from './SetPanel.tsx';
import { PlayButton } from './time/Controls.tsx';
import { TimelineHere } from './time/TimePanel.tsx';
import { Reasons } from './why/Reasons.tsx';

/** The set, time, and reasons: nothing that changes the scenario. */
export function Embedded(): ReactNode {
  return (
    <div className="embedded">
      <SetPanel />
      <section className="panel time" aria-label="Time">
        <div className="controls">
          <PlayButton />
          <span className="gap" />
          <a className="button" href={whole()} target="_blank" rel="noreferrer">
            <ExternalLink size={14} aria-hidden="true" /> open in replsim studio
          </a>
        </div>
        <TimelineHere />
      </section>
      <div className="embedded-reasons">
        <Reasons />
      </div>
    </div>
  );
}

/** This page with all that it has, at the same instant of the same scenario. */
function whole(): string {
  return `${location.pathname}${location.hash}`;
}
