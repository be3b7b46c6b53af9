// SPDX-License-Identifier: GPL-2.0-only
/* hmac.c - SHA-256 (FIPS 180-4), HMAC (RFC 2104), and what RFC 8754 signs */
#include "fuzz.h"

struct sha {
	uint32_t h[8];
	uint8_t block[64];
	uint64_t len;
};

static const uint32_t k256[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t ror(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const uint8_t *b)
{
	int i;

	for (i = 0; i < 16; i++)
		w[i] = get32(b + 4 * i);
	for (; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (ror(x, 7) ^ ror(x, 18) ^ x >> 3) +
		       (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
	}
}

static void compress(struct sha *s)
{
	uint32_t w[64], v[8], t1, t2;
	int i;

	schedule(w, s->block);
	memcpy(v, s->h, sizeof(v));
	for (i = 0; i < 64; i++) {
		t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + k256[i] + w[i];
		t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void sha_init(struct sha *s)
{
	static const uint32_t h0[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(s->h, h0, sizeof(h0));
	s->len = 0;
}

static void sha_add(struct sha *s, const uint8_t *p, int len)
{
	while (len--) {
		s->block[s->len++ % 64] = *p++;
		if (s->len % 64 == 0)
			compress(s);
	}
}

static void sha_end(struct sha *s, uint8_t digest[32])
{
	uint64_t bits = s->len * 8;
	uint8_t tail[8];
	int i;

	sha_add(s, (const uint8_t *)"\x80", 1);
	while (s->len % 64 != 56)
		sha_add(s, (const uint8_t *)"", 1);
	put32(tail, bits >> 32);
	put32(tail + 4, bits);
	sha_add(s, tail, sizeof(tail));
	for (i = 0; i < 8; i++)
		put32(digest + 4 * i, s->h[i]);
}

/* Keys of at most a block. */
void hmac_sha256(const uint8_t *key, int klen, const uint8_t *msg, int len,
		 uint8_t digest[32])
{
	uint8_t pad[64] = {};
	struct sha s;
	int i;

	memcpy(pad, key, klen);
	for (i = 0; i < 64; i++)
		pad[i] ^= 0x36;
	sha_init(&s);
	sha_add(&s, pad, 64);
	sha_add(&s, msg, len);
	sha_end(&s, digest);
	for (i = 0; i < 64; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha_init(&s);
	sha_add(&s, pad, 64);
	sha_add(&s, digest, 32);
	sha_end(&s, digest);
}

/* The HMAC TLV where the kernel recognises one, else NULL. */
const uint8_t *srh_hmac_tlv(const uint8_t *srh)
{
	const uint8_t *tlv = srh + (srh[1] + 1) * 8 - 40;

	if (!(srh[5] & 8) || srh[1] < (srh[4] + 1) * 2 + 5)
		return NULL;
	return tlv[0] == 5 && tlv[1] == 38 ? tlv : NULL;
}

/* False: cannot be signed, for it is too long or the key is unknown. */
bool srh_digest(const uint8_t *saddr, const uint8_t *srh, uint32_t key,
		uint8_t digest[32])
{
	uint8_t text[22 + 14 * 16];
	int n = srh[4] + 1;

	if (n > 14 || key != HMAC_KEY_ID)
		return false;
	memcpy(text, saddr, 16);
	text[16] = srh[4];
	text[17] = srh[5];
	put32(text + 18, key);
	memcpy(text + 22, srh + 8, n * 16);
	hmac_sha256((const uint8_t *)HMAC_SECRET, strlen(HMAC_SECRET), text,
		    22 + n * 16, digest);
	return true;
}
