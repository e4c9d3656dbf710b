/** Detection of JSON content types. */

/**
 * Whether a content type is JSON. An empty string counts as JSON, because the exact content type of the
 * service is not documented.
 */
export function isJsonContentType(contentType: string): boolean {
  return contentType === 'application/json' || contentType === '' || /(^|[/+])json *(;|$)/i.test(contentType)
}
