// `helm test`: the server is alive and ready, and no caller gets costs without signing in. Node runs it in the
// image of prorata, where there is no shell. PRORATA_URL is the address of the service.
const url = process.env.PRORATA_URL;
const expected = [
  ['/healthz', [200]],
  ['/readyz', [200]],
  // 403 by a proxy that is not trusted.
  ['/model/allocation/compute?window=1h', [401, 403]],
];
let failed = 0;
for (const [path, statuses] of expected) {
  const found = await fetch(url + path).then(
    (answer) => answer.status,
    (error) => `no answer: ${error.cause?.message ?? error.message}`,
  );
  const isFine = statuses.includes(found);
  console.log(
    `${isFine ? 'ok' : 'WRONG'}: GET ${path}: ${found}, expected ${statuses.join(' or ')}`,
  );
  if (!isFine) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
