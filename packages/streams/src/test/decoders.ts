export const testDecoders = {
  order: (frame: { payload: string }) => parse(frame.payload),
  position: (frame: { payload: string }) => parse(frame.payload),
  unknown: (frame: { payload: string }) => parse(frame.payload),
} as any
export const moduleDecoder = (frame: any) => {
  const r = parse(frame.payload) as any
  return r.ok ? { ok: true, value: { bizType: r.value?.payload?.biz_type } } : r
}
function parse(raw: string): any {
  try {
    return { ok: true, value: JSON.parse(raw), issues: [] }
  } catch {
    return { ok: false, error: new Error('x'), raw }
  }
}
export const TABLE = {
  application: { eventTypes: ['APPLICATION'], bizTypes: ['ACCOUNT_CREATE'] },
  funding: { eventTypes: ['FUNDING'], bizTypes: ['TRANSFER', 'INSTANT_FUNDING'] },
  'fees-and-credits': { eventTypes: ['FUNDING'], bizTypes: ['FEE_DEDUCTION'] },
  sod: { eventTypes: [], bizTypes: [] },
}
