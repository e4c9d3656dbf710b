/** The public sources of the table. This project has not checked any of them against the live service. */

/** A public source of facts. */
export interface Source {
  /** Title and publisher of the source. */
  readonly title: string
  /** Date of the version that was read: `yyyy-MM-dd`, `yyyy-MM` or a year. */
  readonly date: string
}

/** Sources by their keys in `OperationDefinition.sources`. */
export const SOURCES: Readonly<Record<string, Source>> = {
  US: { title: 'Reference pages of the US region, public API documents', date: '2026-09-29' },
  'US-log': { title: 'Changelog of the US region, its newest entries', date: '2026-10-31' },
  'US-rate': { title: 'Rate limit page of the US region, in force since 2026-08-14', date: '2026-09-02' },
  HK: { title: 'Reference pages of the HK region', date: '2026-09-22' },
  HK5: { title: 'Reference pages of the HK region, earlier path family', date: '2026-05-17' },
  PY2: { title: 'Official Python client 2.0.12', date: '2026-06-24' },
  JA: { title: 'Official Java client', date: '2026-08-08' },
  O: { title: 'Responses of the service that several public clients show', date: '2026' },
  'O-us': { title: 'Compatibility notes of the client sfreiberg/webull, US sandbox', date: '2026' },
  'O-prod': { title: 'Notes of several public clients, production', date: '2026-09' },
  'I-1': { title: 'Issue 1 of the official Python client: the history cursor', date: '2026-01-26' },
  'I-7': { title: 'Issue 7 of the official Python client: 404 for the history', date: '2026-05-14' },
}
