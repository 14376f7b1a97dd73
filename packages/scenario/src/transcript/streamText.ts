import type { StreamedEvent, StreamTrace } from '@replsim/protocol';

/** How many events of one batch are told one by one. */
const SHOWN = 5;

/** What the client of a change stream lives through, in words. */
export function streamText(event: StreamTrace): string {
  const { stream } = event;
  switch (event.type) {
    case 'streamOpened':
      return `stream ${stream} ${event.resumed ? 'goes on' : 'begins'} on ${event.server}: ${event.ns}`;
    case 'streamShowed': {
      const { events } = event;
      const told = events.slice(0, SHOWN).map(describe);
      if (events.length > SHOWN) told.push(`and ${events.length - SHOWN} more`);
      return `stream ${stream} shows ${told.join(', ')}, from ${event.server}`;
    }
    case 'streamEnded':
      return `stream ${stream} ends: ${event.reason}`;
  }
}

function describe({ operationType, ns, documentKey }: StreamedEvent): string {
  return [operationType, ns, documentKey].filter((part) => part !== undefined).join(' ');
}
