/** Option schemas and names for the packages of this repository. Outside semantic versioning: do not import this entry. */
export { HTTP_CLIENT_OPTIONS } from './client-options.ts'
export { HTTP_OBSERVER } from './observer.ts'
