/**
 * The first 64 bits of the fractions of the square (2) or cube (3) roots of `count` primes, those
 * before number `skipped` left out: what SHA-2 is made of (FIPS 180-4 §4.2 and §5.3).
 */
export function rootsOfPrimes(root: 2 | 3, count: number, skipped = 0): bigint[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < skipped + count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  const shift = BigInt(64 * root);
  return primes.slice(skipped)
    .map((prime) => BigInt.asUintN(64, rootOf(BigInt(prime) << shift, BigInt(root))));
}

/** The round constants of Keccak-f[1600] (FIPS 202 §3.2.5). */
export function keccakConstants(): bigint[] {
  let register = 1;
  const nextBit = () => {
    const bit = register & 1;
    register = register & 0x80 ? (register << 1 ^ 0x171) : register << 1;
    return BigInt(bit);
  };
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0n; j < 7n; j++) constant |= nextBit() << ((1n << j) - 1n);
    return constant;
  });
}

/** The whole part of a root, by Newton's method from above. */
function rootOf(value: bigint, root: bigint): bigint {
  let guess = 1n << BigInt(value.toString(2).length);
  for (;;) {
    const next = ((root - 1n) * guess + value / guess ** (root - 1n)) / root;
    if (next >= guess) return guess;
    guess = next;
  }
}
