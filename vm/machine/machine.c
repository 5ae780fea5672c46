#include "vm/machine/machine.h"

#include "loader/base/error.h"

tirb_status tirbi_charge(tirbi_machine *machine, uint64_t amount) {
    if (amount <= machine->fuel) {
        machine->fuel -= amount;
        return TIRB_OK;
    }
    if (machine->fuel_limit == UINT64_MAX) {
        machine->fuel = 0;
        return TIRB_OK;
    }
    machine->fuel = 0;
    return tirbi_error_set(machine->error, TIRB_FUEL, "the fuel of %llu units is used up",
                           (unsigned long long)machine->fuel_limit);
}

tirb_status tirbi_poll(const tirbi_machine *machine) {
    return tirbi_stop_status(atomic_load_explicit(machine->stop, memory_order_relaxed), machine->error);
}

tirb_status tirbi_bad_index(const tirbi_machine *machine, int64_t index, unsigned dimension, uint32_t name,
                            int64_t extent) {
    const bool has_sign = !(dimension & TIRBI_INDEX_UNSIGNED) && index < 0;
    const uint64_t size = has_sign ? 0 - (uint64_t)index : (uint64_t)index;
    return tirbi_error_set(machine->error, TIRB_BOUNDS,
                           "index %s%llu is out of bounds for dimension %u of %s, whose extent is %lld",
                           has_sign ? "-" : "", (unsigned long long)size, dimension & ~(unsigned)TIRBI_INDEX_UNSIGNED,
                           tirbi_string_of(machine, name), (long long)extent);
}
