package httpapi

import "sync"

// recent is a bounded map that forgets what was not used for longest, in two halves: when the young half is full it becomes the old
// one, and what is used in the old one moves to the young.
type recent[K comparable, V any] struct {
	mu         sync.Mutex
	half       int
	young, old map[K]V
}

func newRecent[K comparable, V any](size int) *recent[K, V] {
	return &recent[K, V]{half: max(1, size/2), young: map[K]V{}}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.young[k]; ok {
		return v, true
	}
	v, ok := r.old[k]
	if ok {
		r.add(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(k, v)
}

// getOr returns what is kept under a key, or keeps what it makes.
func (r *recent[K, V]) getOr(k K, make func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.young[k]
	if ok {
		return v
	}
	if v, ok = r.old[k]; !ok {
		v = make()
	}
	r.add(k, v)
	return v
}

func (r *recent[K, V]) add(k K, v V) {
	if _, ok := r.young[k]; !ok && len(r.young) >= r.half {
		r.old, r.young = r.young, map[K]V{}
	}
	r.young[k] = v
	delete(r.old, k)
}
