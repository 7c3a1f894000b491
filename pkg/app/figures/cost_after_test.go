package figures

import "fmt"

// after changes what a candidate is asked for later: with a form, and with a preset of two document
// types, a form and a value. Its settings are made once the lists are measured.
func (h *meteredStore) after() []operation {
	var form, preset, asked, applied string
	post := func(path, body *string, format string) func() []charge {
		return func() []charge {
			return h.request(200, "POST", "/candidates/"+*path, fmt.Sprintf(format, *body))()
		}
	}
	forms, presets := "", ""
	return []operation{
		{"ask a candidate for a form", "3, 2 WCU/KB+item", cost{3, 4, 3, 2}, "CAND, EVT",
			func() []charge {
				form = h.make("/forms", `{"name":"Nights"}`)
				preset = h.make("/presets", fmt.Sprintf(
					`{"name":"Nights","set":{"language":"de"},"documentTypeIds":[%q,%q],"formIds":[%q]}`,
					h.documentType("Night pass", ""), h.documentType("Lamp", ""), form))
				asked, applied = h.make("/candidates", `{"firstName":"Ada"}`),
					h.make("/candidates", `{"firstName":"Grace"}`)
				forms, presets = asked+"/forms", applied+"/presets"
				return post(&forms, &form, `{"formId":%q}`)()
			}},
		{"apply a preset of 2 types", "5, 2 WCU/KB+item", cost{5, 14, 12, 5},
			"CAND, 2 CDT, 4 EVT", post(&presets, &preset, `{"presetId":%q}`)},
		{"take a preset of 2 types back", "4, 2 WCU/KB+item", cost{4, 14, 16, 3},
			"CAND, 2 CDT, 4 EVT", func() []charge {
				return h.request(200, "DELETE", "/candidates/"+presets+"/"+preset, "")()
			}},
		{"rename the company, the caller's key read again", "5, 2 WCU/KB+item",
			cost{5, 6, 0, 4}, "CO, GRP, SET",
			h.request(200, "PATCH", "/companies/"+h.company, `{"name":"Renamed"}`)},
	}
}
