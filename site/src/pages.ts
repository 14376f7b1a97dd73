import { apiPages } from './api.ts';
import { glossary } from './glossary.ts';
import { guidePages } from './guides.ts';
import { homePage } from './home.ts';
import type { Page } from './page.ts';
import { places } from './places.ts';
import { referencePages } from './reference.ts';
import { lessonPages, scenarioPages, transcriptOf } from './scenarioPages.ts';

/** All pages of the site. */
export async function allPages(): Promise<Page[]> {
  const where = places();
  return [
    homePage(),
    ...guidePages(where),
    ...(await lessonPages(where, glossary(), transcriptOf)),
    ...scenarioPages(where),
    ...referencePages(),
    ...(await apiPages()),
  ];
}
