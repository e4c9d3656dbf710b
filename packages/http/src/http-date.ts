/** Times in headers: dates (RFC 9110, section 5.6.7) and `Retry-After` (section 10.2.3). */

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const TIME = '(?<time>\\d\\d:\\d\\d:\\d\\d)'
/** The form that is sent today, and two old ones that a recipient has to accept. */
const HTTP_DATES = [
  `${DAY}, (?<day>\\d\\d) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${TIME} GMT`,
  `[A-Z][a-z]{5,8}, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${TIME} GMT`,
  `${DAY} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`))

/**
 * @param nowMs - Milliseconds since the epoch: a year of two digits is never more than 50 years from here.
 * @returns Milliseconds since the epoch; `NaN` where it is no date.
 */
export function readHttpDate(value: string | null | undefined, nowMs: number): number {
  const text = value?.trim() ?? ''
  for (const form of HTTP_DATES) {
    const { day, month, year, time } = form.exec(text)?.groups ?? {}
    // In this form alone every host reads the same: one digit less, and it may be local time.
    if (year !== undefined) return Date.parse(`${day?.trim()} ${month} ${fullYear(year, nowMs)} ${time} GMT`)
  }
  return Number.NaN
}

function fullYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const inThisCentury = thisYear - (thisYear % 100) + Number(year)
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury
}

/**
 * @param nowMs - Milliseconds since the epoch, as the service counts them.
 * @returns Milliseconds from now, or `undefined` where there is none or it cannot be read.
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  // However many digits there are, it is a wait: of the largest safe number of milliseconds at most.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const atMs = readHttpDate(text, nowMs)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
