/** Detection of JSON content types. */

/**
 * Whether a content type is JSON. An empty one counts as JSON, because the exact string is not documented.
 */
export function isJsonContentType(contentType: string): boolean {
  return contentType === 'application/json' || contentType === '' || /(^|[/+])json *(;|$)/i.test(contentType)
}
