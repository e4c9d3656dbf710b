/** Schemas of options and names, for the packages of this repository. Outside semantic versioning: do not import it. */
export { STREAMS_OPTIONS } from './create-streams.ts'
export { STREAMS_OBSERVER } from './observer.ts'
